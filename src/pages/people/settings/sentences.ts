/** The sentences on the pages of users and of their settings. */

import type { Scope } from '../../../access/levels.ts'
import { count } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'

/** For whom a token acts: its reader, or another account. */
export type TokenUser = 'reader' | 'account'

const meanings = translated({
  read_repository: 'Clones and fetches with git over HTTP',
  write_repository: 'Clones, fetches and pushes with git over HTTP',
  read_registry: 'No effect: there is no registry. Some clients ask for it',
  write_registry: 'No effect: there is no registry. Some clients ask for it',
  self_rotate: 'Replaces itself by a new token over the API',
  sudo: 'Acts as any user over the API. For administrators',
})

const scopeMeanings: Record<TokenUser, Record<Scope, string>> = translated({
  reader: {
    ...meanings,
    api: 'Everything you may do, over the API and with git over HTTP',
    read_user: 'Reads your profile and those of others over the API',
    read_api: 'Reads whatever you may read over the API',
    openid: 'Learns who you are: your name, username, email address and groups',
    profile: 'Learns your name, username, picture and profile, together with openid',
    email: 'Learns your email address, together with openid',
  },
  account: {
    ...meanings,
    api: 'Everything the account may do, over the API and with git over HTTP',
    read_user: 'Reads its profile and those of others over the API',
    read_api: 'Reads whatever the account may read over the API',
    openid: 'Learns who the account is: its name, username, email address and groups',
    profile: 'Learns its name, username, picture and profile, together with openid',
    email: 'Learns its email address, together with openid',
  },
})

/** The permissions of a token with the scope, as a sentence without its subject. */
export function scopeMeaning(scope: Scope, user: TokenUser): string {
  return scopeMeanings[user][scope]
}

export const sentences = translated({
  notificationsAre: 'Mail tells you what happens to issues and merge requests. Each message has a link to unsubscribe from its subject.',
  repliesAre: 'Reply to one to comment.',
  noMail: 'This server sends no mail. What you choose here is kept for when it does.',
  notificationPlaces: 'Here something else holds.',
  notificationsSaved: 'Notification settings saved',
  profileSaved: 'Profile saved',
  avatarHint: 'PNG, JPEG, GIF, BMP, ICO or WebP, at most 200 KB.',
  avatarRemoved: 'Picture removed',
  nameHint: 'Shown beside what you do, and in the commits that you make here.',
  publicEmailHint: 'One of your confirmed addresses, for everybody to see. Leave empty to show none.',
  bioHint: 'At most 255 characters.',
  privateHint: 'Others see neither your projects, your activity nor when you joined.',
  statusSaved: 'Status saved',
  statusCleared: 'Your status has been cleared.',
  statusHint: 'Shown on your profile. At most 100 characters; emoji such as :coffee: are welcome.',
  emojiHint: 'A name without colons, such as coffee or palm_tree.',
  usernameChanged: 'Username changed',
  usernameHint:
    'Your projects move along. Links and clones of a project at its earlier address are redirected until ' +
    'somebody takes that address; your profile has only the new one.',
  deletion: 'This deletes your account with your projects, keys and tokens, and ends all your sessions. It cannot be undone.',
  contributions:
    'What you contributed to projects of others stays, in the name of the Ghost User. Groups that only you own ' +
    'stand in the way: give them another owner, or delete them first.',
  accountDeleted: 'Account deleted',
  wrongName: 'is not your username',
  emailAdded: 'Address added. Follow the link in the message that we sent to it to confirm it.',
  emailAddedWithoutMail: 'Address added. An administrator has to confirm it, as this server sends no mail.',
  emailRemoved: 'Address removed',
  primaryChanged: 'Primary address changed',
  primaryWaits: 'The address becomes your primary one as soon as you follow the link in the message that we sent to it.',
  primaryWaitsWithoutMail: 'The address becomes your primary one as soon as an administrator confirms it.',
  emailsAre: 'Commits with one of your confirmed addresses count as yours. You sign in with the primary one.',
  keysAre: 'An SSH key lets you clone and push without a password.',
  noKeys: 'You have no SSH keys yet.',
  keyHint: 'The whole line of the .pub file, such as ~/.ssh/id_ed25519.pub. Never send the other file.',
  keyTitleHint: 'The machine it is on, for example. Leave empty for the comment at the end of the key.',
  keyAdded: 'Key added. It works at once.',
  keyRemoved: 'Key removed. Nobody gets in with it any more.',
  keyRemoval: 'Machines with this key can no longer clone and push as you.',
  gpgAre: 'A GPG key lets others check who signed a commit.',
  noGpg: 'You have no GPG keys yet.',
  gpgHint: 'As written by gpg --armor --export: from BEGIN PGP PUBLIC KEY BLOCK to its end.',
  gpgAdded: 'Key added',
  gpgRemoved: 'Key removed',
  gpgRemoval: 'The key is no longer shown as yours.',
  tokensAre: 'Access tokens authenticate you to the API and to git over HTTP, with an expiry date and with scopes.',
  noTokens: 'You have no active tokens.',
  tokenOnce: 'Copy the token now: it is shown only this once.',
  tokenExpiry: 'The token ends at the start of this day, in UTC. Without a day it never ends.',
  tokenRevoked: 'Token revoked. Nobody gets in with it any more.',
  tokenRevocation: 'Whatever uses this token is refused from now on. It cannot be undone.',
  tokenRotation: 'Revokes the token and creates another one with its name and scopes.',
  feedToken:
    'Addresses of feeds hold a token of their own, with which programs read your feeds and nothing else. ' +
    'Whoever has seen one reads along until you reset it.',
  feedTokenReset: 'Feed token reset. Feeds have new addresses now.',
  browserChoices:
    'Light or dark colors are chosen at the foot of every page, and single keys are turned off in the list of ' +
    'keys (press ?). Both hold for this browser.',
  applicationsAre: 'Programs that you registered here. They act for users who let them (OAuth 2.0), and sign them in (OpenID Connect).',
  instanceApplications: 'Programs that act for users of this instance who let them (OAuth 2.0), and sign them in (OpenID Connect).',
  noApplications: 'There are no applications yet.',
  noOwnApplications: 'Applications are created by administrators here.',
  applicationSaved: 'Application saved',
  applicationDeleted: 'Application deleted. Its tokens are refused from now on.',
  applicationDeletion: 'Nobody can sign in with it any more, and all its tokens are refused. It cannot be undone.',
  secretOnce: 'Copy the secret now: it is shown only this once.',
  secretRenewal: 'The secret in use is refused from now on.',
  publicApplication: 'A public application has no secret: it proves itself with a code challenge (PKCE).',
  redirectUris: 'One a line. Compared letter by letter: https, http on a loopback address, or a scheme of your own.',
  confidential: 'It runs on a server and keeps its secret. Leave it off for programs on devices of users, and in browsers.',
  trusted: 'Users are not asked whether it may act for them.',
  authorizedAre: 'Programs that you let act for you. Revoke any that you don’t know.',
  noAuthorized: 'You have let no application act for you.',
  authorizationRevoked: 'The application can’t act for you any more.',
  authorizationRevocation: 'All its tokens are refused from now on. It has to ask you again.',
  sessionsAre: 'Browsers in which you are signed in. Revoke any that you don’t know, and change your password then.',
  sessionRevoked: 'The session has been ended.',
  preferencesSaved: 'Preferences saved',
  connectionsAre: 'You can sign in through each provider that is connected.',
  connectionStays: 'You can’t disconnect it: it is the way you sign in.',
  disconnected: 'You can’t sign in through it any more.',
  noPassword:
    'Your account has no password here: you sign in through others. With git over HTTP and over the API, use an access token in the ' +
    'place of one.',
  directoryPassword: 'Your password is that of the directory (LDAP): change it there. Git over HTTP takes it, and access tokens.',
  passwordChanged: 'Password changed. All other sessions have ended.',
  secondFactorIs:
    'With a second factor, your password alone opens nothing: signing in takes a code of your phone or a passkey, too. ' +
    'Git over HTTP and programs use access tokens then.',
  secondFactorIsOn:
    'Your second factor is on. Signing in takes it besides your password; git over HTTP and programs use ' +
    'access tokens instead of the password.',
  secondFactorRequired: 'This server requires a second factor. Set up an app or a passkey to go on.',
  groupsRequireSecondFactor: (groups: readonly string[]) =>
    groups.length === 1
      ? t`${groups[0] ?? ''} requires a second factor of members. Set up an app or a passkey to go on.`
      : t`${groups.join(', ')} require a second factor of members. Set up an app or a passkey to go on.`,
  secondFactorOff: 'Your second factor is off. All apps, passkeys and recovery codes have been removed.',
  scan: 'Scan this with an authenticator app, such as Aegis, FreeOTP or the one of your password manager.',
  otherApp: 'The codes of the app in use are refused as soon as the other one is set up.',
  appSetUp: 'The app has been set up. Its codes count from now on.',
  passkeysAre: 'A passkey is a key on a device: unlocked by a finger, a face or a PIN, or a stick that you touch.',
  noPasskeysHere: 'Passkeys work where this server is reached by a name over HTTPS. Its address, GITSTEAD_URL, is not like that.',
  passkeysNeedScript: 'Adding a passkey takes JavaScript, and a browser that knows passkeys.',
  passkeyAdded: 'Passkey added',
  passkeyRemoved: 'Passkey removed',
  recoveryCodesAre: 'A recovery code lets you in once when you have lost your phone and your passkeys.',
  codesRenewal: 'The codes you have are refused from then on.',
  codesOnce: 'Keep these codes where you find them without your phone. Each lets you in once, and they are shown only now.',
  turningOff: 'Removes the app, all passkeys and the recovery codes. Your password alone signs you in then.',
  passwordEnds: 'Changing it ends all your sessions but this one.',
  noProjects: 'There are no projects that you can see.',
  noGroups: 'There are no groups that you can see.',
  noStars: 'There are no starred projects that you can see.',
  noContributions: 'There are no contributions that you can see.',
  noFollowers: 'Nobody follows this user.',
  followsNobody: 'This user follows nobody.',
  hiddenProfile: 'This profile is private.',
  blocked: 'This account is blocked.',
} as const)

export function contributionsOf(number: number): string {
  return t`${count(number, 'contribution')} in the last year`
}
