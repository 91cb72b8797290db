import { ConfigurationError } from 'webhook-inbox'

/** Throws `ConfigurationError` `invalid_option` with what the first thing must be that is not. */
export function requireAll(rules: readonly (readonly [isGood: boolean, must: string])[]): void {
  for (const [isGood, must] of rules) {
    if (!isGood) {
      throw new ConfigurationError('invalid_option', must)
    }
  }
}
