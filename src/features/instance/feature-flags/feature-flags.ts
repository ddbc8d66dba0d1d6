/** Feature flags: what other features may use. */
export { presentFeatures } from './feature-flags.present.ts'
export { featureRows } from './feature-flags.queries.ts'
export { removeFeature, type SentGate, setFeature } from './feature-flags.service.ts'
