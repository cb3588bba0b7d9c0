/** The page's style sheet: light and dark as the reader's system has it, from a telephone's width upwards. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f7f9; --card: #ffffff; --ink: #1b2330; --quiet: #5b6675; --line: #dfe3e9; --code: #f0f2f5;
  --ok: #1f7a4d; --waiting: #2563b8; --stuck: #a15c00; --broken: #c02c38;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161d; --card: #1b212b; --ink: #e4e9f0; --quiet: #9aa6b5; --line: #303947; --code: #12161d;
    --ok: #5cc98f; --waiting: #76aef5; --stuck: #e8a94a; --broken: #f5808a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 24px 20px 40px; max-width: 1120px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
h1 { margin: 0; font-size: 26px; line-height: 1.25; letter-spacing: -0.01em; }
h2 { margin: 0 0 6px; font-size: 17px; line-height: 1.3; overflow-wrap: anywhere; }
p { margin: 0 0 10px; }
header p, footer p, .quiet { color: var(--quiet); }
header p { margin: 6px 0 20px; overflow-wrap: anywhere; }
footer { margin-top: 28px; font-size: 13px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin: 0 0 16px; }
.fine { padding: 18px 0; color: var(--ok); font-weight: 600; }
.badge {
  display: inline-block; vertical-align: 2px; padding: 1px 9px; border: 1px solid currentColor; border-radius: 99px;
  font-size: 12px; font-weight: 600; letter-spacing: 0.02em;
}
.badge.ok { color: var(--ok); } .badge.waiting { color: var(--waiting); }
.badge.stuck { color: var(--stuck); } .badge.broken { color: var(--broken); }
.tiles {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px;
  background: none; border: 0; padding: 0;
}
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.tile h2 { margin: 0; font-size: 13px; font-weight: 600; color: var(--quiet); }
.tile strong { display: block; font-size: 26px; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tile { min-width: 0; }
.tile p { overflow-wrap: anywhere; margin: 0; font-size: 13px; line-height: 1.4; color: var(--quiet); }
.tile.broken strong { color: var(--broken); } .tile.stuck strong { color: var(--stuck); }
.tile.waiting strong { color: var(--waiting); }
.lane { display: grid; grid-template-columns: 230px 1fr; gap: 14px; align-items: center; border-top: 1px solid var(--line); }
.lane:first-child { border-top: 0; }
.lane .cause { font-size: 14px; overflow-wrap: anywhere; }
.lane b { color: var(--quiet); font-weight: 500; font-variant-numeric: tabular-nums; }
.lane svg { display: block; width: 100%; height: 36px; }
.lane line { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.lane.waiting rect { fill: var(--waiting); } .lane.stuck rect { fill: var(--stuck); }
.lane.broken rect { fill: var(--broken); }
.lane small { color: var(--quiet); font-size: 12px; }
.steps { position: relative; display: grid; grid-template-columns: repeat(7, 1fr); padding-top: 4px; font-size: 12px; color: var(--quiet); }
.steps i { font-style: normal; border-left: 1px solid var(--line); padding-left: 5px; }
.steps i:first-child { border: 0; }
.steps b { position: absolute; right: 0; bottom: 0; font-weight: 400; }
.group { border-left: 4px solid var(--quiet); }
.group.waiting { border-left-color: var(--waiting); } .group.stuck { border-left-color: var(--stuck); }
.group.broken { border-left-color: var(--broken); }
.table { overflow: auto; max-height: 560px; }
thead { position: sticky; top: 0; background: var(--card); }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th, td { padding: 7px 14px 7px 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; font-size: 12px; font-weight: 600; color: var(--quiet); white-space: nowrap; }
tbody th { font-weight: 600; min-width: 150px; max-width: 340px; overflow-wrap: anywhere; }
td { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.findings { table-layout: fixed; min-width: 620px; }
.findings thead th:nth-child(1) { width: 27%; } .findings thead th:nth-child(2) { width: 11%; }
.findings thead th:nth-child(3) { width: 7%; }
.findings tbody th { max-width: none; min-width: 0; }
summary { cursor: pointer; }
details p { margin: 8px 0 0; }
pre, code { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { margin: 6px 0 4px; padding: 9px 12px; background: var(--code); border: 1px solid var(--line); border-radius: 6px;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.danger { color: var(--broken); font-weight: 600; }
@media (max-width: 640px) {
  body { padding: 16px 12px 32px; }
  section { padding: 14px; }
  .table { max-height: none; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .lane { grid-template-columns: 1fr; gap: 0; padding-top: 6px; }
  .steps i { padding-left: 2px; font-size: 11px; }
  .steps b { display: none; }
  .findings { min-width: 0; display: block; }
  .findings tbody { display: block; }
  .findings thead { display: none; }
  .findings tr { display: block; border-top: 1px solid var(--line); padding: 8px 0; }
  .findings th, .findings td { display: inline-block; border: 0; padding: 0 10px 2px 0; max-width: 100%; }
  .findings tbody th, .findings td:last-child { display: block; width: 100%; }
}
@media print {
  body { background: none; padding: 0; }
  .tile, tr { break-inside: avoid; }
  .table { max-height: none; }
}
`;
