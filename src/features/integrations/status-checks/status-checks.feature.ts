/** Endpoints of status checks, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { statusChecks } from './status-checks.endpoints.ts'

export const statusChecksFeature = feature({ endpoints: section('Status checks', statusChecks) })
