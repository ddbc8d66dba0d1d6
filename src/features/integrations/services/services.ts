/**
 * Integrations: what other features may use. An active integration has a row in `hooks`, which lists of webhooks leave out, so that order,
 * retries, the log and its pruning are those of webhooks. A retried conversation with a tracker starts from the beginning: at least once.
 */
export { leadsElsewhere } from './elsewhere.ts'
export { type IntegrationGranted, integrationOf } from './services.access.ts'
export { shownSettings } from './services.present.ts'
export { integrationAt, integrationById, integrationsAt } from './services.queries.ts'
export { removeIntegration, setIntegration } from './services.service.ts'
export { defaultSettings, type Flags, flagsOf, isHeard, settingsOf } from './settings.ts'
export { type ExternalTracker, externalIssueUrl, readTracker } from './tracker.ts'
