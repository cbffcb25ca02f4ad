// Land of a map drawn ahead in slices of the event loop: that of thousands of areas would hold up all requests.

import { eventLoop } from '../../lib/scheduler.ts';
import { type DrawnLand, type LandDrawing, landSteps } from '../../page/map/land.ts';

export const landAhead = (drawing: LandDrawing): Promise<DrawnLand> =>
  eventLoop.run({}, (task) => task.run(landSteps(drawing)));
