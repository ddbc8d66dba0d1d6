/** Merge requests as a kind of noteable. */
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import { readersOfMergeRequests } from '../../../access/readers.ts'
import { isOnShownRequest } from '../../../access/visible.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { grantedAsNoteable, type NoteableKind } from '../../noteable-kind.ts'
import { mergeRequestInPath } from './merge-requests.access.ts'
import { mergeRequestsByIds } from './merge-requests.queries.ts'

export const mergeRequestKind: NoteableKind<'merge_request'> = {
  name: 'merge_request',
  type: 'MergeRequest',
  mailName: 'MergeRequest',
  noun: 'merge request',
  label: 'a merge request',
  title: 'Merge Request',
  sign: '!',
  path: 'merge_requests/:merge_request_iid',
  oldPath: null,
  pagePath: 'merge_requests/:merge_request_iid',
  table: 'merge_requests',
  access: grantedAsNoteable(within(project('signed-in'), mergeRequestInPath), ({ merge_request }) => ({
    kind: 'merge_request',
    row: merge_request,
  })),
  nameInPath: ({ iid }) => iid,
  reference: ({ iid }) => `!${iid}`,
  titleOf: ({ title }) => title,
  async find(db, keys) {
    const rows = await mergeRequestsByIds(
      db,
      keys.map(({ id }) => id),
    )
    return rows.map((row) => ({ kind: 'merge_request', row }))
  },
  readers: (db, project, _row, userIds, options) => readersOfMergeRequests(db, project, userIds, options),
  notesVisible: (eb, viewer, access) =>
    canSeeMergeRequests(access, viewer)
      ? eb.and([eb('notes.merge_request_id', 'is not', null), isOnShownRequest('notes.merge_request_id', viewer)])
      : null,
  isIssuable: true,
  causesTodos: true,
  hasSingleNotes: true,
  hasInternalNotes: true,
  resolvable: true,
  hasDiff: true,
  takesSuggestions: true,
  takesQuickActions: true,
  awardsEmojiBodies: true,
}
