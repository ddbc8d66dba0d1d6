/** Texts of mail about accounts. */
import type { User } from '../../../db/tables.ts'
import { type Html, html } from '../../../html/untranslated.ts'
import { unlinked } from '../../../text/unlinked.ts'
import { lifeOfToken_h, type TokenPurpose } from '../../people/account-tokens/account-tokens.ts'

/** An invitation is the first mail to a user whose account was created by somebody else. */
export type LinkWords = TokenPurpose | 'invitation'

/** The URL of each link, without the token. */
export const linkPages: Record<TokenPurpose, string> = {
  reset_password: '/users/password/edit?reset_password_token=',
  confirm_email: '/users/confirmation?confirmation_token=',
  unlock: '/users/unlock?unlock_token=',
}

export interface Words {
  from_name: string
  subject: string
  text: string
  html: string
}

/** A message of paragraphs. Texts of users are included as plain text. */
export function wordsOf(subject: string, paragraphs: readonly string[]): Words {
  const blocks: Html[] = paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)
  return { from_name: 'Gitstead', subject, text: paragraphs.join('\n\n'), html: html`${blocks}`.text }
}

export function wordsOfLink(words: LinkWords, { username }: Pick<User, 'username'>, email: string, url: string): Words {
  const account = `the account ${username} at ${url}`
  const within = (purpose: TokenPurpose) => `within ${lifeOfToken_h[purpose]} hour${lifeOfToken_h[purpose] === 1 ? '' : 's'}`
  switch (words) {
    case 'invitation':
      return wordsOf('An account has been created for you', [
        `You have ${account}.`,
        `Choose its password ${within('reset_password')}; later, ask for another link at ${url}/users/password/new.`,
      ])
    case 'reset_password':
      return wordsOf('Reset your password', [
        `Somebody has asked for a new password for ${account}.`,
        'If it was not you, do nothing: the password stays as it is.',
        `If it was you, choose a new password ${within(words)}:`,
      ])
    case 'confirm_email':
      return wordsOf('Confirm your email address', [
        `${email} was given as an address of ${account}.`,
        'If you do not know of it, do nothing: the address will not be used.',
        `If it is yours, confirm it ${within(words)}:`,
      ])
    case 'unlock':
      return wordsOf('Unlock your account', [
        `After too many failed attempts, nobody can sign in to ${account} from a new place for some minutes.`,
        'If it was not you who tried, change your password when you have signed in.',
        `To sign in now, unlock the account ${within(words)}:`,
      ])
  }
}

/** Changes of who has access to an account. */
export type News =
  | { kind: 'password' }
  | { kind: 'email'; email: string }
  | { kind: 'key'; title: string; fingerprint: string }
  | { kind: 'gpg_key'; fingerprint: string }
  | { kind: 'token'; name: string; scopes: string }
  | { kind: 'second_factor'; isOn: boolean }
  | { kind: 'sign_in'; address: string; browser: string | null; at: string }
  | { kind: 'approval' }
  | { kind: 'abuse_report'; of: Pick<User, 'username'>; category: string; message: string }
  | { kind: 'approval_request'; of: Pick<User, 'name' | 'username' | 'email'> }

/** The page with details, where the user can revert the change. */
export const pageOfNews: Record<News['kind'], string> = {
  password: '/users/password/new',
  email: '/profile/emails',
  key: '/profile/keys',
  gpg_key: '/profile/gpg_keys',
  token: '/profile/personal_access_tokens',
  second_factor: '/profile/two_factor_auth',
  sign_in: '/profile/active_sessions',
  approval: '/users/sign_in',
  abuse_report: '/admin/abuse_reports',
  approval_request: '/admin/users?filter=blocked_pending_approval',
}

export function wordsOfNews(news: News, { username }: Pick<User, 'username'>, url: string): Words {
  const account = `your account ${username} at ${url}`
  const otherwise = 'If it was not you, remove it, and change your password.'
  switch (news.kind) {
    case 'password':
      return wordsOf('Your password has been changed', [
        `The password of ${account} has been changed. All other sessions have ended.`,
        'If it was neither you nor an administrator, reset the password now.',
      ])
    case 'email':
      return wordsOf('Your email address has been changed', [
        `The primary address of ${account} is now ${news.email}.`,
        'If it was neither you nor an administrator, tell an administrator now.',
      ])
    case 'key':
      return wordsOf('An SSH key has been added', [
        `An SSH key has been added to ${account}:`,
        `${news.title} (${news.fingerprint})`,
        otherwise,
      ])
    case 'gpg_key':
      return wordsOf('A GPG key has been added', [`A GPG key has been added to ${account}:`, news.fingerprint, otherwise])
    case 'token':
      return wordsOf('An access token has been created', [
        `An access token has been created for ${account}:`,
        `${news.name} (${news.scopes.replaceAll(' ', ', ')})`,
        otherwise,
      ])
    case 'second_factor':
      return news.isOn
        ? wordsOf('A second factor has been set up', [
            `A second factor has been set up for ${account}: the password alone opens nothing any more. All other sessions have ended.`,
            'If it was not you, tell an administrator now: they can take it away.',
          ])
        : wordsOf('The second factor has been removed', [
            `The second factor of ${account} has been removed: the password alone signs in again.`,
            'If it was neither you nor an administrator, change your password, and set up a second factor again.',
          ])
    case 'sign_in':
      return wordsOf('Sign-in from a new place', [
        `Somebody has signed in to ${account} from ${news.address}${news.browser === null ? '' : `, with ${news.browser}`}, at ${timeOf(news.at)}.`,
        'If it was not you, end the session, and change your password.',
      ])
    case 'approval':
      return wordsOf('Your account has been approved', [`An administrator has approved ${account}. You can sign in now.`])
    case 'abuse_report':
      return wordsOf('A user was reported', [`${username} has reported ${news.of.username} (${news.category}):`, news.message])
    case 'approval_request':
      return wordsOf('An account waits for approval', [
        `${unlinked(news.of.name)} (${unlinked(news.of.username)}, ${news.of.email}) has signed up at ${url}.`,
        'Nobody can use the account before an administrator approves it.',
      ])
  }
}

/** For somebody who has no account any more. */
export function wordsOfRejection({ username }: Pick<User, 'username'>, url: string): Words {
  return wordsOf('Your sign-up was rejected', [
    `You asked for the account ${username} at ${url}. An administrator has rejected it, and nothing of it is kept.`,
  ])
}

function timeOf(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`
}
