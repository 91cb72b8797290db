/** Short sentences. A line breaks between them. */
export const Parts = ({ of }: { readonly of: string }) => (
  <>
    {of.split(/(?<=\.) /).map((sentence, at) => (
      <>
        {at > 0 && ' '}
        <span class="part">{sentence}</span>
      </>
    ))}
  </>
)
