import { describeReports } from './heal.ts';
import { RELEASING } from './reports/releasing.ts';

describeReports('volumes and claims that lost each other', RELEASING);
