import { describeReports } from './heal.ts';
import { RELEASING } from './situations/releasing.ts';

describeReports('volumes and claims that lost each other', RELEASING);
