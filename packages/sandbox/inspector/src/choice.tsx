interface ChoiceProps {
  readonly label: string
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly value: string | undefined
  readonly onInput: (event: { readonly currentTarget: { readonly value: string } }) => void
}

/** A field of a form with a list of options. */
export const Choice = ({ label, options, ...field }: ChoiceProps) => (
  <label class="field grow">
    <span>{label}</span>
    <select {...field}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  </label>
)
