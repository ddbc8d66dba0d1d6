/** How approvals are given and lost in a project or a group, in the words of the newer API. */
import type { Static, TObject } from 'typebox'
import type { ApprovalSettings } from '../../../db/tables.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { onProjectOrGroup, onProjectsAndGroups, type PlaceKind, unarchivedPlace } from '../../../http/declare/places.ts'
import { withoutUndefined } from '../../../validation.ts'
import { presentSettingsWithin } from './approval-rules.present.ts'
import { ApprovalSetting, newerSettingsParameters } from './approval-rules.schema.ts'
import { changeApprovalSettings, changeGroupApprovalSettings } from './approval-settings.service.ts'
import { type ApprovalSettingsChange, approvalSettingsWithin, groupApprovalSettings } from './settings.queries.ts'

const readable = (kind: PlaceKind) => onProjectOrGroup(kind, { project: 'manage_merge_requests', group: 'edit_group' })
const writable = (kind: PlaceKind) => unarchivedPlace(onProjectOrGroup(kind, { project: 'manage_approval_rules', group: 'edit_group' }))

export const newerApprovalSettings = onProjectsAndGroups((kind) => [
  endpoint(`GET /${kind}s/:id/merge_request_approval_setting`, {
    summary: `Get how merge requests of a ${kind} are approved, and what a group above has fixed`,
    access: readable(kind),
    reply: ApprovalSetting,
    async handle({ app, place: { kind, row } }) {
      const read = kind === 'project' ? approvalSettingsWithin : groupApprovalSettings
      return presentSettingsWithin(await read(app.db, row.id))
    },
  }),
  endpoint(`PUT /${kind}s/:id/merge_request_approval_setting`, {
    summary: `Change how merge requests of a ${kind} are approved`,
    access: writable(kind),
    body: newerSettingsParameters,
    reply: ApprovalSetting,
    async handle({ app, user, place, body }) {
      if (place.kind === 'group') {
        const { own } = await groupApprovalSettings(app.db, place.row.id)
        return presentSettingsWithin(await changeGroupApprovalSettings(app, place.row.id, changeOf(body, own)))
      }
      const { own } = await approvalSettingsWithin(app.db, place.row.id)
      return presentSettingsWithin(await changeApprovalSettings(app, { user, project: place.row }, changeOf(body, own)))
    },
  }),
])

type Sent = Static<TObject<typeof newerSettingsParameters>>

/** @param own keeps the kind of push that removes approvals, which the newer API can't name */
function changeOf(sent: Sent, own: ApprovalSettings): ApprovalSettingsChange {
  const inverted = (value: boolean | undefined) => (value === undefined ? undefined : !value)
  const lost = own.reset_approvals_on === 'never' ? 'change' : own.reset_approvals_on
  const reset = sent.retain_approvals_on_push === undefined ? undefined : sent.retain_approvals_on_push ? 'never' : lost
  return withoutUndefined({
    merge_requests_author_approval: sent.allow_author_approval,
    merge_requests_disable_committers_approval: inverted(sent.allow_committer_approval),
    disable_overriding_approvers_per_merge_request: inverted(sent.allow_overrides_to_approver_list_per_merge_request),
    reset_approvals_on: reset,
    selective_code_owner_removals: sent.selective_code_owner_removals,
    require_password_to_approve: sent.require_reauthentication_to_approve ?? sent.require_password_to_approve,
  })
}
