/** Endpoints of rules of approval, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { projectApprovals } from './approval-rules.endpoints.ts'
import { groupApprovalRules } from './of-groups.endpoints.ts'
import { requestApprovalRules } from './of-merge-requests.endpoints.ts'
import { newerApprovalSettings } from './settings.endpoints.ts'

const endpoints = [...projectApprovals, ...newerApprovalSettings, ...groupApprovalRules, ...requestApprovalRules]

export const approvalRulesFeature = feature({ endpoints: section('Merge requests', endpoints) })
