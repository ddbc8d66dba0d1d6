/** Endpoints of test reports, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { testReports } from './test-reports.endpoints.ts'

export const testReportsFeature = feature({ endpoints: section('Job artifacts', testReports) })
