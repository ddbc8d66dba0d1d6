/** What the pages of the access tokens of projects and groups say. */
import type { PlaceKind } from '../../http/declare/places.ts'

export const purpose = (kind: PlaceKind): string =>
  `A token lets a program act in this ${kind} without being a person. It has a bot user of its own, who is a member here and nowhere else.`
export const shownOnce = 'Copy the token now: it is not shown again.'
export const none = 'There are no tokens yet.'
export const noneEnded = 'No token has been revoked or has expired.'
export const revoked = (name: string): string => `Token ${name} revoked`
export const revokeWarning = 'Programs that use it are refused from now on. Its bot user is removed from the members.'
export const expiryHint = 'The token stops working at the start of this day, in UTC. Leave it empty for no end.'
export const roleHint = 'What the bot user may do. No higher than your own role.'

export const scopeHints: Record<string, string> = {
  api: 'Everything the API can do with its role, and git',
  read_api: 'Everything that can be read through the API',
  read_repository: 'Clone and fetch by git over HTTP',
  write_repository: 'Clone, fetch and push by git over HTTP',
  read_registry: 'No effect: there is no container registry',
  write_registry: 'No effect: there is no container registry',
  self_rotate: 'Rotate this token itself',
}
