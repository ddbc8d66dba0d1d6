/** The frame of all pages of a user's own settings: their tabs, and common parts of their forms. */

import type { User } from '../../../db/tables.ts'
import { Failure, invalid } from '../../../failure.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { lengthError } from '../../../validation.ts'
import type { View, Visit } from '../../frame/declaration.ts'
import { navigation } from '../../frame/parts.ts'

/** A visit by a signed-in user, to their own settings. */
export type OwnVisit = Visit & { user: User }

/** A page without its frame. */
export type InnerView = Omit<View, 'above' | 'main'> & { main: Html }

const tabs = () =>
  ({
    profile: [t`Profile`, '/profile'],
    account: [t`Account`, '/profile/account'],
    emails: [t`Emails`, '/profile/emails'],
    password: [t`Password`, '/profile/password'],
    second_factor: [t`Second factor`, '/profile/two_factor_auth'],
    keys: [t`SSH keys`, '/profile/keys'],
    gpg_keys: [t`GPG keys`, '/profile/gpg_keys'],
    tokens: [t`Access tokens`, '/profile/personal_access_tokens'],
    applications: [t`Applications`, '/profile/applications'],
    chat: [t`Chats`, '/profile/chat_names'],
    sessions: [t`Sessions`, '/profile/active_sessions'],
    notifications: [t`Notifications`, '/profile/notifications'],
    preferences: [t`Preferences`, '/profile/preferences'],
  }) as const

export type SettingsTab = keyof ReturnType<typeof tabs>

/** A page of one's own settings. */
export function settingsView(tab: SettingsTab, { title, main, ...rest }: InnerView): View {
  const links = Object.entries(tabs()).map(([key, [label, href]]) => ({ label, href, isCurrent: key === tab }))
  return {
    ...rest,
    title: t`${title} · Your settings`,
    main: html`<div class="beside">${navigation(t`Your settings`, links)}<div class="settings">${main}</div></div>`,
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
  throw field === undefined ? error : invalid({ [field]: [t`has already been taken`] }, error)
}
