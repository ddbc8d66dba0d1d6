/** Endpoints and jobs of schedules, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { schedules } from './schedules.endpoints.ts'
import { scheduleJobs } from './schedules.jobs.ts'

export const schedulesFeature = feature({ endpoints: section('Pipeline schedules', schedules), jobs: scheduleJobs })
