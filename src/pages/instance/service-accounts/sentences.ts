/** Sentences on the pages of service accounts. */
import { t, translated } from '../../../html/sentences.ts'
import type { AccountsPlace } from './place.ts'

export const sentences = translated({
  what: 'A service account is a user for a machine. It has access tokens and no password, and becomes a member as people do.',
  where: {
    project: 'Those of this project may be members of it, and of nothing else.',
    group: 'Those of this group may be members of it and of the groups and projects below it.',
    instance: 'Those of the instance may be members anywhere.',
  } satisfies Record<AccountsPlace['kind'], string>,
  none: 'There are no service accounts yet.',
  nameHint: 'What it is for, such as Deploys.',
  usernameHint: 'Leave it empty for a random one.',
  created: (name: string) => t`Service account ${name} created. Give it a token, and add it to the members.`,
  renamed: 'Saved',
  deleted: (name: string) => t`Service account ${name} deleted`,
  deletion: 'Its tokens are refused at once. What it contributed stays, in the name of the Ghost User. It cannot be undone.',
  noTokens: 'It has no active tokens.',
  tokenRevoked: (name: string) => t`Token ${name} revoked`,
})
