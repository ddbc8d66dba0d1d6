/** Endpoints and jobs of housekeeping, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { housekeeping, housekeepingJobs } from './housekeeping.endpoints.ts'

export const housekeepingFeature = feature({ endpoints: section('Repository', housekeeping), jobs: housekeepingJobs })
