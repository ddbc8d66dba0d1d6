/** Endpoints and jobs of exports, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { exports } from './exports.endpoints.ts'
import { exportJobs } from './exports.jobs.ts'

export const exportsFeature = feature({ endpoints: section('Export and import', exports), jobs: exportJobs })
