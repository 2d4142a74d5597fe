import type { Fault } from "../api";

// FaultBox shows an error: what, where, and what to do.
export function FaultBox({ fault }: { fault: Fault }) {
  return (
    <div class="fault" role="alert">
      <p>
        <strong>{fault.place ? fault.place + ": " : ""}</strong>
        {fault.message} <code>{fault.code}</code>
      </p>
      {fault.remedy && <p>What to do: {fault.remedy}.</p>}
    </div>
  );
}
