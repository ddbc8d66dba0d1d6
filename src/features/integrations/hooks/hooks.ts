/** Webhooks: what others may use of them. */
export { presentHook, withoutPassword } from './hooks.present.ts'
export { deleteHook, type HookPlace, listHooks, ofInstance } from './hooks.queries.ts'
export { changeHook, createHook, findHook, hookPlaceOf, type SentHook, signingKey } from './hooks.service.ts'
