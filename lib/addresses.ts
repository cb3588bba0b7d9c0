/** What the URLs in settings must look like. People paste a queue's name or ARN: the answer then says what its URL is. */

const ARN = /^arn:(aws[a-z-]*):sqs:([a-z0-9-]+):(\d{12}):([\w-]+(?:\.fifo)?)$/;
const NAME = /^[\w-]{1,80}(\.fifo)?$/;
const EXAMPLE = 'https://sqs.eu-central-1.amazonaws.com/123456789012/volumes.fifo';

/**
 * Why a text is no URL of a FIFO queue, and what to write instead.
 * @returns undefined when it is one; whether the queue exists is not asked.
 */
export function queueUrlProblem(text: string): string | undefined {
  const [, partition, region, account, name = ''] = ARN.exec(text) ?? [];
  if (name.endsWith('.fifo')) {
    const url = `https://sqs.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}/${account}/${name}`;
    return `must be the queue's URL, not its ARN: ${url}`;
  }
  if (name !== '') return 'must be the URL of a FIFO queue, and this is the ARN of a standard queue';
  if (NAME.test(text)) {
    const command = `aws sqs get-queue-url --query QueueUrl --output text --queue-name ${text}`;
    return `must be the queue's URL, not its name; \`${command}\` prints it`;
  }
  const problem = endpointProblem(text);
  if (problem !== undefined) return `${problem}, such as ${EXAMPLE}`;
  const { pathname, search, hash } = new URL(text);
  return pathname.endsWith('.fifo') && search === '' && hash === ''
    ? undefined
    : `must be the URL of a FIFO queue, which ends in .fifo, such as ${EXAMPLE}`;
}

/** Why a text is no URL that signed requests may go to: they carry a session's token, so http is for this machine only. */
export function endpointProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL';
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return 'must be a URL without a user and a password';
  if (protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname))) return undefined;
  return 'must be an https URL (http is for 127.0.0.1 and localhost)';
}

/** With the names below `localhost`, which stand-ins for SQS put into their queues' URLs. */
function isThisMachine(host: string): boolean {
  return host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host) || /^([\w-]+\.)*localhost$/.test(host);
}

/** What may be shown of a URL: nothing that stands before an `@` and may be a password, however badly the rest is written. */
export function withoutUser(text: string): string {
  const at = Math.max(text.lastIndexOf('@'), text.lastIndexOf('%40'));
  return at > 0 && text.lastIndexOf(':', at) !== -1 ? `…${text.slice(at)}` : text;
}
