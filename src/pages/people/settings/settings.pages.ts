/** All pages of a user's own settings. */
import { accountPages } from './account.pages.ts'
import { ownApplicationPages } from './applications.pages.ts'
import { emailPages } from './emails.pages.ts'
import { keyPages } from './keys.pages.ts'
import { notificationPages } from './notifications.pages.ts'
import { ownPasswordPages } from './password.pages.ts'
import { preferencePages } from './preferences.pages.ts'
import { profileSettingsPages } from './profile-settings.pages.ts'
import { secondFactorPages } from './second-factor.pages.ts'
import { sessionPages } from './sessions.pages.ts'
import { tokenPages } from './tokens.pages.ts'

export const settingsPages = [
  ...profileSettingsPages,
  ...accountPages,
  ...emailPages,
  ...ownPasswordPages,
  ...secondFactorPages,
  ...keyPages,
  ...tokenPages,
  ...ownApplicationPages,
  ...sessionPages,
  ...notificationPages,
  ...preferencePages,
]
