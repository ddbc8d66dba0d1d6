/** Settings: what other features may use. */

export { domainError } from './domains.ts'
export { isExternalByDefault } from './external-users.ts'
export { digestOfTerms, pollHeaders, readSettings, type SettingName, type Settings, termsAccepted } from './settings.service.ts'
export { settingsTable } from './settings.table.ts'
export { acceptTerms } from './terms.service.ts'
export { watchThrottles } from './throttles.service.ts'
export { restrictedVisibilityError } from './visibility.ts'
export { type Change, groupNamed, saveSettings } from './writes.service.ts'
