import { describeReports } from './heal.ts';
import { MATCHING } from './situations/matching.ts';

describeReports('claims that find no volume', MATCHING);
