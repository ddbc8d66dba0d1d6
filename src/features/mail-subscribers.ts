/** The events about which mail is sent: after all other reactions, so that the mail contains their results. */
import { inSameTransaction, type Subscribers } from '../domain-events/domain-events.ts'
import {
  mailOfAddress,
  mailOfGpgKey,
  mailOfKey,
  mailOfPassword,
  mailOfSecondFactor,
  mailOfSignIn,
  mailOfToken,
  mailToNewAddress,
  mailToNewUser,
  mailToWantedAddress,
} from './notifications/account-mails/account-mails.subscribers.ts'
import {
  mailOfAssignees,
  mailOfIssue,
  mailOfMentions,
  mailOfMergeRequest,
  mailOfNewIssue,
  mailOfNewMergeRequest,
  mailOfNote,
  mailOfNoteMentions,
  mailOfPush,
} from './notifications/activity-mails/activity-mails.subscribers.ts'
import { mailOfDenial, mailOfMembership, mailOfRequest } from './notifications/member-mails/member-mails.subscribers.ts'
import { mailOfPipeline } from './notifications/pipeline-mails/pipeline-mails.subscribers.ts'

export const mailSubscribers: Subscribers = {
  issue_created: [inSameTransaction(mailOfNewIssue)],
  issue_changed: [inSameTransaction(mailOfAssignees), inSameTransaction(mailOfMentions)],
  issue_closed: [inSameTransaction(mailOfIssue('close'))],
  issue_reopened: [inSameTransaction(mailOfIssue('reopen'))],
  merge_request_created: [inSameTransaction(mailOfNewMergeRequest)],
  merge_request_changed: [inSameTransaction(mailOfAssignees), inSameTransaction(mailOfMentions)],
  merge_request_pushed: [inSameTransaction(mailOfPush)],
  merge_request_closed: [inSameTransaction(mailOfMergeRequest('close'))],
  merge_request_reopened: [inSameTransaction(mailOfMergeRequest('reopen'))],
  merge_request_merged: [inSameTransaction(mailOfMergeRequest('merge'))],
  merge_request_unmergeable: [inSameTransaction(mailOfMergeRequest('unmergeable'))],
  note_created: [inSameTransaction(mailOfNote)],
  note_changed: [inSameTransaction(mailOfNoteMentions)],
  pipeline_status_changed: [inSameTransaction(mailOfPipeline)],
  member_added: [inSameTransaction(mailOfMembership)],
  access_requested: [inSameTransaction(mailOfRequest)],
  access_denied: [inSameTransaction(mailOfDenial)],
  user_created: [inSameTransaction(mailToNewUser)],
  email_added: [inSameTransaction(mailToNewAddress)],
  email_change_requested: [inSameTransaction(mailToWantedAddress)],
  user_email_changed: [inSameTransaction(mailOfAddress)],
  user_password_changed: [inSameTransaction(mailOfPassword)],
  key_added: [inSameTransaction(mailOfKey)],
  gpg_key_added: [inSameTransaction(mailOfGpgKey)],
  credential_created: [inSameTransaction(mailOfToken)],
  second_factor_enabled: [inSameTransaction(mailOfSecondFactor)],
  second_factor_disabled: [inSameTransaction(mailOfSecondFactor)],
  signed_in_from_new_network: [inSameTransaction(mailOfSignIn)],
}
