import { describeReports } from './heal.ts';
import { DELETING } from './situations/deleting.ts';

describeReports('volumes that do not go, or not as they should', DELETING);
