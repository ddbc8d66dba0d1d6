/** Endpoints of issue order, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { issueOrder } from './issue-order.endpoints.ts'

export const issueOrderFeature = feature({ endpoints: section('Issues', issueOrder) })
