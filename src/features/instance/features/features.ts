/** Feature flags: what others may use of them. */
export { presentFeatures } from './features.present.ts'
export { featureRows } from './features.queries.ts'
export { removeFeature, type SentGate, setFeature } from './features.service.ts'
