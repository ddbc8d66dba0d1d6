/** Suggestions, applied: what other features may use. */
export { applySuggestions } from './suggestions.service.ts'
