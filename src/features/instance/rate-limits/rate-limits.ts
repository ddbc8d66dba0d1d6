/** Rate limits: what pages may use of them. */
export { type RefusedClient, refusedClients } from './rate-limits.service.ts'
