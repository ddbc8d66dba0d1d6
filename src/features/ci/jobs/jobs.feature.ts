/** Endpoints of jobs, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { jobs as ciJobs } from './jobs.endpoints.ts'

export const jobsFeature = feature({ endpoints: section('Jobs', ciJobs) })
