/** Webhooks: what others may use of them. */
export { hookInPath, systemHookInPath } from './hooks.access.ts'
export { presentHook, withoutPassword } from './hooks.present.ts'
export { type HookPlace, listHooks, ofInstance } from './hooks.queries.ts'
export { changeHook, createHook, findHook, hookPlaceOf, removeHook, type SentHook, signingKey } from './hooks.service.ts'
export { fillUrl, valuesOf } from './named-values.ts'
