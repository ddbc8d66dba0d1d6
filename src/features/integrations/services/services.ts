/**
 * Integrations: what other features may use. An active integration has a row in `hooks`, which lists of webhooks leave out: order, retries,
 * the log and its pruning are those of webhooks. A retry repeats the whole conversation with a tracker, which may happen more than once.
 */
export { leadsElsewhere } from './elsewhere.ts'
export { type IntegrationGranted, integrationOf } from './services.access.ts'
export { shownSettings } from './services.present.ts'
export { integrationAt, integrationById, integrationsAt } from './services.queries.ts'
export { removeIntegration, setIntegration } from './services.service.ts'
export { defaultSettings, type Flags, flagsOf, isHeard, settingsOf } from './settings.ts'
export { type ExternalTracker, externalIssueUrl, readTracker } from './tracker.ts'
