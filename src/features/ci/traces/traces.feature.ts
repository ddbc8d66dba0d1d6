/** Endpoints and jobs of traces, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { traces } from './traces.endpoints.ts'
import { traceJobs } from './traces.jobs.ts'

export const tracesFeature = feature({ endpoints: section('Job traces', traces), jobs: traceJobs })
