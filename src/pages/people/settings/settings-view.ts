/** The frame of all pages of a user's own settings: their tabs, and common parts of their forms. */
import type { User } from '../../../db/tables.ts'
import { Failure, invalid } from '../../../failure.ts'
import { type Html, html } from '../../../html/html.ts'
import { lengthError } from '../../../validation.ts'
import type { View, Visit } from '../../frame/declaration.ts'
import { navigation } from '../../frame/parts.ts'

/** What every page of settings gets. */
export type OwnVisit = Visit & { user: User }

/** A page without its frame. */
export type InnerView = Omit<View, 'above' | 'main'> & { main: Html }

const tabs = {
  profile: ['Profile', '/profile'],
  account: ['Account', '/profile/account'],
  emails: ['Emails', '/profile/emails'],
  password: ['Password', '/profile/password'],
  second_factor: ['Second factor', '/profile/two_factor_auth'],
  keys: ['SSH keys', '/profile/keys'],
  gpg_keys: ['GPG keys', '/profile/gpg_keys'],
  tokens: ['Access tokens', '/profile/personal_access_tokens'],
  applications: ['Applications', '/profile/applications'],
  chat: ['Chats', '/profile/chat_names'],
  sessions: ['Sessions', '/profile/active_sessions'],
  notifications: ['Notifications', '/profile/notifications'],
  preferences: ['Preferences', '/profile/preferences'],
} as const

export type SettingsTab = keyof typeof tabs

/** A page of one's own settings. */
export function settingsView(tab: SettingsTab, { title, main, ...rest }: InnerView): View {
  const links = Object.entries(tabs).map(([key, [label, href]]) => ({ label, href, isCurrent: key === tab }))
  return {
    ...rest,
    title: `${title} · Your settings`,
    main: html`<div class="beside">${navigation('Your settings', links)}<div class="settings">${main}</div></div>`,
  }
}

/** Limit of text fields of a user, such as the location. */
const maxLine = 255

/** Errors of text fields that no service checks, by field. */
export function lineErrors(lines: Readonly<Record<string, string>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(lines).map(([name, text]) => [name, lengthError(text, maxLine)]))
}

const fieldsTaken: Record<string, string> = {
  'Username has already been taken': 'username',
  'Email has already been taken': 'email',
  'Identity has already been taken': 'extern_uid',
}

/** For `.catch`: shows a conflict at its field. */
export function takenByField(error: unknown): never {
  const field = error instanceof Failure && error.code === 'conflict' ? fieldsTaken[error.message] : undefined
  throw field === undefined ? error : invalid({ [field]: ['has already been taken'] }, error)
}
