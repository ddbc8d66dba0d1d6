/** Rate limits: what pages may use of them. */
export { liftLimit, type RefusedClient, refusedClients } from './rate-limits.service.ts'
