package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/health" // enables health checks in gRPC clients
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/proto/dragoman/v1/dragomanv1connect"
)

// watchHealth watches the health of a service over a protocol.
func watchHealth(t *testing.T, d *daemon, service string, options ...connect.ClientOption) *connect.ServerStreamForClient[healthv1.HealthCheckResponse] {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	client := connect.NewClient[healthv1.HealthCheckRequest, healthv1.HealthCheckResponse](httpClient(t), d.url+watchPath, options...)
	stream, err := client.CallServerStream(ctx, connect.NewRequest(&healthv1.HealthCheckRequest{Service: service}))
	must(t, err)
	t.Cleanup(func() { _ = stream.Close() })
	return stream
}

var protocols = map[string]connect.ClientOption{
	"connect": connect.WithClientOptions(), "gRPC": connect.WithGRPC(), "gRPC-Web": connect.WithGRPCWeb(), "JSON": connect.WithProtoJSON(),
}

func TestAWatchReportsTheShutdownAndEndsWithIt(t *testing.T) {
	for name, protocol := range protocols {
		t.Run(name, func(t *testing.T) {
			d := serve(t, func(c *config.Config) {
				c.Auth.Tokens = []string{"hush"} // supervisors have no token
				// These limits do not apply to watches.
				c.Limits.RequestTime, c.Limits.SessionIdle, c.Limits.SessionTime = time.Millisecond, time.Millisecond, time.Millisecond
			})
			all := watchHealth(t, d, "", protocol)
			one := watchHealth(t, d, dragomanv1connect.ChatServiceName, protocol)
			none := watchHealth(t, d, "nobody", protocol)
			receives := func(stream *connect.ServerStreamForClient[healthv1.HealthCheckResponse], want healthv1.HealthCheckResponse_ServingStatus) {
				t.Helper()
				if !stream.Receive() || stream.Msg().Status != want {
					t.Fatalf("received %v (%v), expected %v", stream.Msg(), stream.Err(), want)
				}
			}
			receives(all, healthv1.HealthCheckResponse_SERVING)
			receives(one, healthv1.HealthCheckResponse_SERVING)
			receives(none, healthv1.HealthCheckResponse_SERVICE_UNKNOWN)
			time.Sleep(20 * time.Millisecond) // longer than any limit
			d.unwelcome()
			receives(all, healthv1.HealthCheckResponse_NOT_SERVING)
			receives(one, healthv1.HealthCheckResponse_NOT_SERVING)
			receives(watchHealth(t, d, "", protocol), healthv1.HealthCheckResponse_NOT_SERVING)
			d.stop()
			for _, stream := range []*connect.ServerStreamForClient[healthv1.HealthCheckResponse]{all, one, none} {
				if stream.Receive() || stream.Err() != nil {
					t.Errorf("after the shutdown: received %v, %v", stream.Msg(), stream.Err())
				}
			}
		})
	}
}

func TestAClientOfGRPCThatWatchesTheHealthIsServed(t *testing.T) {
	d := serve(t, nil)
	conn, err := grpc.NewClient(strings.TrimPrefix(d.url, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig": [{"round_robin": {}}], "healthCheckConfig": {"serviceName": "dragoman.v1.ChatService"}}`))
	must(t, err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	until := func(want connectivity.State) {
		t.Helper()
		conn.Connect()
		for state := conn.GetState(); state != want; state = conn.GetState() {
			if !conn.WaitForStateChange(ctx, state) {
				t.Fatalf("the connection is %v, expected %v", state, want)
			}
		}
	}
	until(connectivity.Ready)
	d.unwelcome()
	until(connectivity.TransientFailure)
}

func TestWatchesAreLimited(t *testing.T) {
	d := serve(t, func(c *config.Config) { c.Limits.Sessions = 2 })
	for range 2 {
		if stream := watchHealth(t, d, "", connect.WithGRPC()); !stream.Receive() {
			t.Fatal(stream.Err())
		}
	}
	stream := watchHealth(t, d, "", connect.WithGRPC())
	if stream.Receive() || connect.CodeOf(stream.Err()) != connect.CodeUnavailable || !strings.Contains(stream.Err().Error(), "limits.sessions") {
		t.Errorf("the third watch ends with %v", stream.Err())
	}
	d.counts(t, answered("grpc.health.v1.Health/Watch", "unavailable"), "1")
	d.stop() // otherwise the streams would run until their time limit
}

// TestInvalidMessagesAreLoggedAsAnswered sends bytes that are no message of any method,
// over every protocol that sends errors in its own encoding.
func TestInvalidMessagesAreLoggedAsAnswered(t *testing.T) {
	d := serve(t, nil)
	paths := []string{planPath, parseStreamPath, grpcHealthPath + "Check", watchPath, reflection}
	for _, contentType := range []string{"application/grpc+proto", "application/grpc-web+proto", "application/connect+proto"} {
		for _, path := range paths {
			t.Run(contentType+path, func(t *testing.T) {
				if contentType == "application/connect+proto" && slices.Contains([]string{planPath, grpcHealthPath + "Check"}, path) {
					t.Skip("connect sends single messages without an envelope")
				}
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+path, strings.NewReader("\x00\x00\x00\x00\x01\xff"))
				must(t, err)
				req.Header.Set("Content-Type", contentType)
				req.Header.Set("X-Request-Id", strings.ReplaceAll(t.Name(), " ", "_"))
				res, err := httpClient(t).Do(req)
				must(t, err)
				body, err := io.ReadAll(res.Body)
				must(t, errors.Join(err, res.Body.Close()))
				if res.Header.Get("Grpc-Status") != "3" && res.Trailer.Get("Grpc-Status") != "3" && !strings.Contains(string(body), `"code":"invalid_argument"`) {
					t.Fatalf("the response is %v %q %v", res.Header, body, res.Trailer)
				}
				if line := d.logs(t, 1, `"msg":"request"`, res.Header.Get("X-Request-Id"))[0]; !strings.Contains(line, `"code":"invalid_argument"`) {
					t.Errorf("the log has %s", line)
				}
			})
		}
	}
}
