/** Integrations: what others may use of them. */
export { leadsElsewhere } from './elsewhere.ts'
export { type IntegrationGranted, integrationOf } from './services.access.ts'
export { shownSettings } from './services.present.ts'
export { integrationAt, integrationById, integrationsAt } from './services.queries.ts'
export { removeIntegration, setIntegration } from './services.service.ts'
export { defaultSettings, type Flags, flagsOf, isHeard, settingsOf } from './settings.ts'
export { type ExternalTracker, externalIssueUrl, readTracker } from './tracker.ts'
