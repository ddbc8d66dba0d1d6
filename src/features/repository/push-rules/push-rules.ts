/** Push rules: what other features may use. */
export { type Asked, refusalByRules } from './judging.service.ts'
export { type PushRulePlace, ruleInForce, ruleOf } from './push-rules.queries.ts'
export { regexFields, removePushRule, type SentPushRule, savePushRule } from './push-rules.service.ts'
