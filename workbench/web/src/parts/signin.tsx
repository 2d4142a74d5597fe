import { type Fault, signIn } from "../api";
import { FaultBox } from "./fault";

// SignIn asks for the operator's token.
export function SignIn({ why }: { why: Fault }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    signIn(String(new FormData(event.currentTarget as HTMLFormElement).get("token")).trim());
  };
  return (
    <section class="signin" aria-labelledby="signin-title">
      <h2 id="signin-title">Sign in</h2>
      <p>The workbench is for operators. The token stays in this tab.</p>
      <FaultBox fault={why} />
      <form onSubmit={submit}>
        <label for="token">Operator token</label>
        <input id="token" name="token" type="password" autocomplete="off" required />
        <button type="submit">Sign in</button>
      </form>
    </section>
  );
}
