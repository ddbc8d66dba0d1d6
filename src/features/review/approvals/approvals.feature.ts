/** Endpoints of approvals, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { approvals } from './approvals.endpoints.ts'

export const approvalsFeature = feature({ endpoints: section('Merge requests', approvals) })
