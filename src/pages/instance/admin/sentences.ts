/** The sentences on the pages of administration. */
import { count } from '../../../html/phrases.ts'

export const sentences = {
  nobody: 'No user matches.',
  auditLogIs: 'Who signed in, and who changed users, members, credentials, visibility, protection and settings. Days are in UTC.',
  noAuditEvents: 'Nothing matches.',
  noGroups: 'No group matches.',
  noProjects: 'No project matches.',
  userCreated: 'The user has been created.',
  userSaved: 'The user has been saved.',
  secondFactorRemoval:
    'Removes their authenticator app, passkeys and recovery codes: their password alone signs them in again. ' +
    'Make sure that it is they who ask.',
  secondFactorRemoved: 'The second factor of the user is off.',
  userBlocked: 'The user has been blocked. All their sessions have ended.',
  userUnblocked: 'The user may sign in again.',
  userConfirmed: 'The address counts as confirmed.',
  confirming: 'Confirm the address for them where you know that it is theirs.',
  userDeleted: 'The user has been deleted.',
  blocking: 'They can no longer sign in, nor use a token or a key. All of theirs stays, and unblocking undoes it.',
  deletion:
    'Deletes the account with its projects, keys and tokens. What they contributed elsewhere stays, in the name ' +
    'of the Ghost User. It cannot be undone.',
  hardDeletion: 'Their contributions elsewhere are deleted, too, as are groups that only they own.',
  wrongUsername: 'is not the username',
  wrongPath: 'is not the path',
  passwordHint: 'At least 8 characters. They have to choose another one when they sign in. Left empty, it stays as it is.',
  newPasswordHint:
    'At least 8 characters. They have to choose another one when they sign in. Left empty, they get a link by mail to choose one; ' +
    'where no mail is sent, nobody can sign in by password.',
  emailHint: 'Counts at once, without confirmation.',
  identityHint: 'Under which an external provider knows them. Both, or neither.',
  impersonation: 'Act as this user until you stop. A bar on every page says so, and the log records it.',
  impersonationStarted: 'You are acting as this user now.',
  impersonationStopped: 'You no longer act as another user.',
  impersonationTokensAre: 'An impersonation token acts as this user. Only administrators see that it exists.',
  noTokens: 'There are no active tokens.',
  tokenRevoked: 'The token has been revoked.',
  keyRemoved: 'The key has been removed.',
  noKeys: 'There are no keys.',
  groupRemoval: 'Deletes the group with all groups and projects below it. It cannot be undone.',
  groupRemoved: 'The group has been deleted.',
  projectRemoval: 'Deletes the project with its repository, releases and files. It cannot be undone.',
  projectRemoved: 'The project has been deleted.',
  removedOn: (day: string) => `It will be deleted on ${day}. Until then its owners can restore it.`,
  projectTransferred: 'The project has been transferred.',
  transfer: 'Moves the project to another group or user. Its earlier address leads to the new one.',
  housekeepingStarted: 'Housekeeping has been started. It goes on in the background.',
  housekeeping: 'Packs the repository again and removes what nothing refers to.',
  settingsSaved: 'The settings have been saved.',
  settingsKept: 'These are kept for clients that read and write them. They change nothing here.',
  secretKept: 'Not shown. Left empty, it stays as it is.',
  onePerLine: 'One on each line.',
  jobsAre: 'Work in the background. A job that fails is tried again; after too many attempts it is dead, and waits here.',
  noJobs: 'There are no such jobs.',
  jobsRun: 'The jobs are due now.',
  jobsDeleted: 'The jobs have been deleted.',
  jobDeletion: 'What the job had to do is never done. It cannot be undone.',
  messagesAre: 'Shown on top of every page, from the beginning to the end, until one dismisses it. Markdown works.',
  noMessages: 'There are no messages.',
  messageSaved: 'The message has been saved.',
  messageDeleted: 'The message has been deleted.',
  messageStart: 'In UTC. Left empty: now.',
  messageEnd: 'In UTC. Left empty: an hour after now.',
  messageColor: 'A color such as #2f5d50, shown as a mark beside the text.',
  deployKeysAre: 'Any project may enable a public deploy key. It gives access to those projects alone.',
  noDeployKeys: 'There are no public deploy keys.',
  deployKeyAdded: 'The key has been added. Projects can enable it now.',
  deployKeySaved: 'The key has been saved.',
  deployKeyRemoved: 'The key is no longer offered.',
  deployKeyRemoval: 'The key is no longer offered. Projects that have enabled it keep it.',
  featuresAre: 'Switches for behavior that is new or costly. A flag that was never set has its default.',
  noFeatures: 'No flag has been set.',
  featureSaved: 'The flag has been set.',
  featureRemoved: 'The flag has its default again.',
  featureValue: 'true, false, or a percentage from 0 to 100.',
  healthAre: 'What the server finds when it looks at itself. gitstead admin doctor looks at repositories and stored files, too.',
  storageHealthy: 'The storage can be written.',
  storageFailing: 'The last check of the storage failed.',
  failuresForgotten: 'The failures have been reset. The next check is at most half a minute away.',
} as const

export function impersonating(username: string): string {
  return `You are acting as ${username}.`
}

export function jobsChanged(number: number, what: 'again' | 'deleted'): string {
  return what === 'again' ? `${count(number, 'job')} will run again.` : `${count(number, 'job')} deleted.`
}
