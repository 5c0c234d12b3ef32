// The official Go client in one conversation with the conformance agent.
//
//	conversation -url URL -version 1.0|0.3 -binding JSONRPC|HTTP+JSON|GRPC -webhook URL
//
// It prints one JSON document: for each step what the client saw (report.ts has its shape). A step that ended in an
// error has `failed` instead; the others go on.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	grpcv0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	grpcv1 "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Longer than the whole conversation takes on a busy machine.
const patience = 4 * time.Minute

func main() {
	url := flag.String("url", "", "where the agent's card is")
	version := flag.String("version", "1.0", "of A2A")
	binding := flag.String("binding", "JSONRPC", "the transport, as the card calls it")
	webhook := flag.String("webhook", "", "an address that takes notifications")
	flag.Parse()

	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	card, err := resolve(ctx, *url, *version)
	if err != nil {
		fatal(err)
	}
	// Two clients: what one has begun the other can follow.
	var clients [2]*a2aclient.Client
	for i := range clients {
		if clients[i], err = a2aclient.NewFromCard(ctx, card, transports(*version, *binding)...); err != nil {
			fatal(err)
		}
	}
	conversation := conversation{ctx, card, clients[0], clients[1], *webhook}
	report := map[string]any{}
	for name, step := range conversation.steps() {
		seen, err := step()
		if err != nil {
			seen = map[string]any{"failed": fmt.Sprintf("%.80s: %.200v", nameOf(err), err)}
		}
		report[name] = seen
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		fatal(err)
	}
}

func resolve(ctx context.Context, url, version string) (*a2a.AgentCard, error) {
	if version == "1.0" {
		return agentcard.DefaultResolver.Resolve(ctx, url)
	}
	resolver := agentcard.NewResolver(nil)
	resolver.CardParser = a2av0.NewAgentCardParser()
	return resolver.Resolve(ctx, url)
}

// transports are those of one version and one binding alone, so that the client cannot choose another.
func transports(version, binding string) []a2aclient.FactoryOption {
	credentials := grpc.WithTransportCredentials(insecure.NewCredentials())
	options := map[string]a2aclient.FactoryOption{
		"1.0 JSONRPC":   a2aclient.WithJSONRPCTransport(nil),
		"1.0 HTTP+JSON": a2aclient.WithRESTTransport(nil),
		"1.0 GRPC":      grpcv1.WithGRPCTransport(credentials),
		"0.3 JSONRPC":   a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{}),
		"0.3 HTTP+JSON": a2av0.WithRESTTransport(a2av0.RESTTransportConfig{}),
		"0.3 GRPC":      grpcv0.WithGRPCTransport(credentials),
	}
	option, known := options[version+" "+binding]
	if !known {
		fatal(fmt.Errorf("there is no %s over %s", version, binding))
	}
	return []a2aclient.FactoryOption{
		a2aclient.WithDefaultsDisabled(), option, a2aclient.WithCallInterceptors(otherVersion{}),
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
