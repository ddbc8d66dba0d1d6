/** Endpoints of access requests, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { accessRequests } from './access-requests.endpoints.ts'

export const accessRequestsFeature = feature({ endpoints: section('Access requests', accessRequests) })
