/** What mail is written about, a line each: after all that is for this server, so that it tells what that has left. */
import { inSameTransaction, type Subscribers } from '../../../domain-events/domain-events.ts'
import {
  mailOfAssignees,
  mailOfIssue,
  mailOfMergeRequest,
  mailOfNewIssue,
  mailOfNewMergeRequest,
  mailOfNote,
  mailOfPush,
} from './activity-mails.subscribers.ts'

export const mailSubscribers: Subscribers = {
  issue_created: [inSameTransaction(mailOfNewIssue)],
  issue_changed: [inSameTransaction(mailOfAssignees)],
  issue_closed: [inSameTransaction(mailOfIssue('close'))],
  issue_reopened: [inSameTransaction(mailOfIssue('reopen'))],
  merge_request_created: [inSameTransaction(mailOfNewMergeRequest)],
  merge_request_changed: [inSameTransaction(mailOfAssignees)],
  merge_request_pushed: [inSameTransaction(mailOfPush)],
  merge_request_closed: [inSameTransaction(mailOfMergeRequest('close'))],
  merge_request_reopened: [inSameTransaction(mailOfMergeRequest('reopen'))],
  merge_request_merged: [inSameTransaction(mailOfMergeRequest('merge'))],
  merge_request_unmergeable: [inSameTransaction(mailOfMergeRequest('unmergeable'))],
  note_created: [inSameTransaction(mailOfNote)],
}
