/** Sentences on the pages of access tokens of projects and groups. */
import { t, translated } from '../../html/sentences.ts'
import type { PlaceKind } from '../../http/declare/places.ts'

export const purpose = (kind: PlaceKind): string =>
  kind === 'project'
    ? t`A token lets a program act in this project without being a person. It has a bot user of its own, who is a member here
        and nowhere else.`
    : t`A token lets a program act in this group without being a person. It has a bot user of its own, who is a member here
        and nowhere else.`
export const shownOnce = () => t`Copy the token now: it is not shown again.`
export const none = () => t`There are no tokens yet.`
export const noneEnded = () => t`No token has been revoked or has expired.`
export const revoked = (name: string): string => t`Token ${name} revoked`
export const revokeWarning = () => t`Programs that use it are refused from now on. Its bot user is removed from the members.`
export const expiryHint = () => t`The token stops working at the start of this day, in UTC. Leave it empty for no end.`
export const roleHint = () => t`What the bot user may do. No higher than your own role.`

export const scopeHints: Record<string, string> = translated({
  api: 'Everything the API can do with its role, and git',
  read_api: 'Everything that can be read through the API',
  read_repository: 'Clone and fetch by git over HTTP',
  write_repository: 'Clone, fetch and push by git over HTTP',
  read_registry: 'No effect: there is no container registry',
  write_registry: 'No effect: there is no container registry',
  self_rotate: 'Rotate this token itself',
})
