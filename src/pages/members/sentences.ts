/** Messages of the pages of members. */

import { accessLevels } from '../../access/levels.ts'
import { invalid } from '../../failure.ts'
import { count } from '../../html/phrases.ts'
import { t } from '../../html/sentences.ts'
import type { PlaceKind } from '../../http/declare/places.ts'
import { roleName } from '../frame/levels.ts'

/** The form to invite, with what is wrong about the address. */
export const notInvited = (reason: string) => invalid({ email: [reason.replace(/^Invite email /, '')] })

/** The roles one may give, as choices of a list. */
export function roleChoices(kind: PlaceKind): Array<readonly [string, string]> {
  const levels = Object.values(accessLevels).filter((level) => kind === 'group' || level < accessLevels.owner)
  return levels.map((level) => [String(level), roleName(level)])
}

export const roleHint = () => t`Guests see a private project, reporters read its code, developers push, maintainers manage it.`
export const expiryHint = () => t`Access ends at the start of this day, in UTC. Leave it empty for no end.`
export const userHint = () => t`Username, email address or part of a name.`
export const noMatch = () => t`matches nobody`
export const severalMatches = () => t`matches several people: choose one below`
export const choosePerson = () => t`People who match`
export const noMembers = () => t`Nobody is a direct member yet.`
export const noneFound = () => t`No member matches.`
export const hiddenGroup = () => t`a group that you can’t see`
export const groupHint = () => t`The path of a group that you can see.`
export const sourceHint = () =>
  t`The path of a project that you can see. Its direct members are added with their roles; those who are members here stay as they are.`

export const added = (name: string, place: string): string => t`${name} is now a member of ${place}.`
export const changed = (name: string): string => t`Membership of ${name} changed`
export const removed = (name: string, place: string): string => t`${name} is no longer a member of ${place}.`
export const left = (place: string): string => t`You are no longer a member of ${place}.`
export const requested = () => t`Your request was sent. The maintainers decide on it.`
export const withdrawn = () => t`Your request was withdrawn.`
export const denied = (name: string): string => t`Request of ${name} denied`
export const shared = (place: string, group: string): string => t`${place} is shared with ${group}.`
export const shareChanged = (group: string): string => t`What ${group} may do has been changed.`
export const unshared = (place: string, group: string): string => t`${place} is no longer shared with ${group}.`
export const imported = (number: number): string =>
  number === 0 ? t`All of them are members already.` : t`Added ${count(number, 'member')}.`

export const inviteHint = () => t`They get a link by which they become a member, with the account they have or with a new one.`
export const invited = (email: string): string => t`${email} has been invited.`
export const invitationWithdrawn = (email: string): string => t`The invitation of ${email} was withdrawn.`
export const invitationDeclined = () => t`Nobody can use its link any more.`
export const withoutAccount = () => t`Without an account, create one, and open the link of the message once more.`
export const joined = (place: string): string => t`You are now a member of ${place}.`
export const memberAlready = (place: string): string => t`You are a member of ${place} already: nothing has changed.`

export const notificationsSaved = () => t`Notification settings saved`
export const noMail = () => t`This server sends no mail. What you choose here is kept for when it does.`
export function notificationsHere(kind: PlaceKind): string {
  return kind === 'project'
    ? t`What you get mail about in this project. It wins over what you chose for its groups and everywhere.`
    : t`What you get mail about in this group, and all below it where you chose nothing else. It wins over what you chose everywhere.`
}
