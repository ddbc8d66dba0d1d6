/** Webhooks: what other features may use. */
export { hookInPath, systemHookInPath } from './hooks.access.ts'
export { presentHook, withoutPassword } from './hooks.present.ts'
export { type HookPlace, listHooks, ofInstance } from './hooks.queries.ts'
export { changeHook, changeValues, createHook, findHook, hookPlaceOf, removeHook, type SentHook, signingKey } from './hooks.service.ts'
export { fillUrl, type ValueKind, valueKinds, valuesOf, withoutValue, withValues } from './named-values.ts'
