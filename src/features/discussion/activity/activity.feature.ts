/** Endpoints and jobs of activity, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { activityJobs } from './activity.jobs.ts'
import { events } from './events.endpoints.ts'

export const activityFeature = feature({ endpoints: section('Events', events), jobs: activityJobs })
