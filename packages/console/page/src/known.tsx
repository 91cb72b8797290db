interface KnownProps {
  /** What the person confirms. */
  readonly text: string
  readonly isKnown: boolean
  readonly onChange: (isKnown: boolean) => void
}

/** A second confirmation, for an act that can repeat an effect. */
export const Known = ({ text, isKnown, onChange }: KnownProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={isKnown}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    <span>{text}</span>
  </label>
)
