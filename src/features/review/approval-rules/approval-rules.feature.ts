/** Endpoints of rules of approval, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { projectApprovals } from './approval-rules.endpoints.ts'
import { requestApprovalRules } from './of-merge-requests.endpoints.ts'

export const approvalRulesFeature = feature({ endpoints: section('Merge requests', [...projectApprovals, ...requestApprovalRules]) })
