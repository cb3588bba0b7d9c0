import { describeReports } from './heal.ts';
import { MATCHING } from './reports/matching.ts';

describeReports('claims that find no volume', MATCHING);
