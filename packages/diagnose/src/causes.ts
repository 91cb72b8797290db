/** Every cause that can be named: what is wrong, and what to do. The evidence comes from the diagnosed delivery. */
export const causes = {
  other_secret: {
    sentence: 'The delivery is signed with another secret.',
    fix: 'Give the receiver the secret of this endpoint and environment. During a rotation give it both.',
  },
  secret_white_space: {
    sentence: 'The secret has white space around it.',
    fix: 'Remove it where the secret is stored: a line break often comes from echo or from an editor.',
  },
  secret_quoted: {
    sentence: 'The secret has quotation marks around it.',
    fix: 'Remove them where the secret is stored: docker --env-file and Kubernetes keep them as part of the value.',
  },
  secret_line_break_missing: {
    sentence: 'The sender’s secret ends with a line break that the given one does not have.',
    fix: 'Ask the sender to issue a secret without it: the receiver rejects secrets with white space around them.',
  },
  secret_prefix_kept: {
    sentence: 'The sender takes the prefix whsec_ off the secret before it signs.',
    fix: 'Set keyPrefix in the scheme.',
  },
  secret_prefix_stripped: {
    sentence: 'The sender signs with the whole secret; the prefix whsec_ is part of it.',
    fix: 'Leave keyPrefix out of the scheme.',
  },
  secret_prefix_missing: {
    sentence: 'The sender signs with the prefix whsec_, which the given secret does not have.',
    fix: 'Give the receiver the secret as the sender shows it, with the prefix.',
  },
  key_encoding: {
    sentence: 'The sender turns the secret into key bytes in another way.',
    fix: 'Set key in the scheme.',
  },
  signed_content: {
    sentence: 'The sender signs other content.',
    fix: 'Set content in the scheme.',
  },
  signature_encoding: {
    sentence: 'The sender writes the signature in another encoding.',
    fix: 'Set encoding in the scheme.',
  },
  signature_cut: {
    sentence: 'The signature was cut: it is only the beginning of the right one.',
    fix: 'Pass the whole value. Many logs, consoles and database columns cut long values.',
  },
  timestamp_in_milliseconds: {
    sentence: 'The sender’s time is in milliseconds.',
    fix: 'Report it to the sender: t is unix seconds. A receiver cannot judge how old such a delivery is.',
  },
  timestamp_too_old: {
    sentence: 'The delivery is too old.',
    fix: 'Synchronize this clock (NTP). A delivery that waited or was replayed must be signed again by the sender.',
  },
  timestamp_ahead: {
    sentence: 'The delivery comes from the future.',
    fix: 'Synchronize this clock (NTP); if it is right, the sender’s clock is ahead.',
  },
  event_id_mismatch: {
    sentence: 'Service-Event-Id is not the id of this event.',
    fix: 'Find out what changes or mixes up the header: it must equal the id in the body.',
  },
  header_from_another_delivery: {
    sentence: 'Header and body belong to different deliveries.',
    fix: 'Keep the header with the body that it came with. Look for state that concurrent requests share.',
  },
  header_repeated: {
    sentence: 'The header was sent or copied more than once.',
    fix: 'Find the proxy that repeats it. The receiver rejects a repeated header, because it cannot know which is meant.',
  },
  header_quoted: {
    sentence: 'The header’s value has quotation marks around it.',
    fix: 'Pass the value without them.',
  },
  header_name_included: {
    sentence: 'The header’s value begins with the name of the header.',
    fix: 'Pass the value alone: what follows the colon.',
  },
  header_white_space: {
    sentence: 'The header’s value holds line breaks or other white space.',
    fix: 'Pass the value on one line. White space inside it looks like two headers that were joined.',
  },
  header_malformed_part: {
    sentence: 'The header holds something besides t, v1 and other tags.',
    fix: 'Pass the value as it was sent. If the sender sends it so, report it.',
  },
  header_oversized: {
    sentence: 'The header holds more than the receiver reads.',
    fix: 'Ask the sender to send at most 16 signatures in at most 4 KiB.',
  },
  body_reformatted: {
    sentence: 'White space between the parts of the JSON was changed after it was signed.',
    fix: 'Verify the bytes as they arrive: mount the receiver before express.json() and any other body parser.',
  },
  body_keys_reordered: {
    sentence: 'The keys of the JSON were put in another order after it was signed.',
    fix: 'Verify the bytes as they arrive. A jsonb column and a map in Go do not keep the order: store bytes.',
  },
  body_escapes_changed: {
    sentence: 'Characters in the JSON’s strings were escaped in another way after it was signed.',
    fix: 'Verify the bytes as they arrive, not JSON that was parsed and serialized again.',
  },
  body_numbers_rewritten: {
    sentence: 'Numbers in the JSON were written in another way after it was signed.',
    fix: 'Verify the bytes as they arrive: parsing loses how a number was written.',
  },
  body_reserialized: {
    sentence:
      'The JSON was changed after it was signed; JSON.stringify(JSON.parse(body)) gives the signed bytes.',
    fix: 'Verify the bytes as they arrive, not JSON that was parsed and serialized again.',
  },
  body_line_break_added: {
    sentence: 'A line break was added to the end of the body after it was signed.',
    fix: 'Send and store the bytes as they are: editors and echo add one; printf %s does not.',
  },
  body_line_break_removed: {
    sentence: 'The line break at the end of the body was removed after it was signed.',
    fix: 'Do not trim the body: $(...) in a shell and trim() in a program remove it.',
  },
  body_white_space_added: {
    sentence: 'White space was added around the body after it was signed.',
    fix: 'Send and store the bytes as they are.',
  },
  body_line_endings: {
    sentence: 'The line endings of the body were changed after it was signed.',
    fix: 'Do not treat the body as text: git, editors and text streams convert line endings.',
  },
  body_bom_added: {
    sentence: 'A byte order mark was put before the body after it was signed.',
    fix: 'Store the body as bytes: some editors and PowerShell write the mark.',
  },
  body_bom_removed: {
    sentence: 'The byte order mark of the body was removed after it was signed.',
    fix: 'Keep the bytes: TextDecoder and many readers of text drop the mark.',
  },
  body_latin1: {
    sentence: 'The body was decoded or encoded as latin1 on the way.',
    fix: 'Do not turn the body into a string. If it must be one, use UTF-8 in both directions.',
  },
} as const

/** What can be wrong, so that a program can tell causes apart. The union is closed. */
export type CauseCode = keyof typeof causes

/** One correction that the search tries, and what shows that it is needed. */
export interface Change {
  readonly code: CauseCode
  readonly evidence: string
}
